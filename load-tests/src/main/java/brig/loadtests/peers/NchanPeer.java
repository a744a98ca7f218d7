package brig.loadtests.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** nginx with nchan, one worker process, messages in its shared memory by default. It has no plain lines. */
final class NchanPeer implements Peer {
    private static final List<Path> MODULES = Stream.of(
                    "/usr/lib/nginx/modules", "/usr/lib64/nginx/modules", "/usr/share/nginx/modules")
            .map(folder -> Path.of(folder, "ngx_nchan_module.so"))
            .toList();
    /** Messages kept beyond the generator's window, so that no reader misses one. */
    private static final int SPARE_MESSAGES = 1000;

    @Override
    public String name() {
        return "nchan";
    }

    @Override
    public Optional<String> missing() {
        return InstalledPrograms.missing("nginx", "nginx libnginx-mod-nchan")
                .or(() -> module().isPresent()
                        ? Optional.empty()
                        : Optional.of(
                                "nginx has no nchan module (Debian, Ubuntu: apt-get install libnginx-mod-nchan)"));
    }

    private static Optional<Path> module() {
        return MODULES.stream().filter(Files::exists).findFirst();
    }

    @Override
    public boolean speaks(String transport) {
        return !transport.equals("ndjson");
    }

    @Override
    public Server start(Site site, String transport) throws IOException {
        int port = Site.freePort();
        String config = site.write("nginx.conf", config(site, port)).toString();
        ServerProcess process = site.start(
                "nginx",
                List.of(
                        InstalledPrograms.program("nginx").orElseThrow().toString(),
                        "-e",
                        site.folder() + "/nginx-error.log",
                        "-c",
                        config));
        process.awaitPort(port);
        String address = "127.0.0.1:" + port;
        return new Server.Single(
                process,
                List.of(process.awaitChild()),
                List.of("--publish", "nchan", "--publish-to", address, "--subscribe", transport, "--connect", address));
    }

    private static String config(Site site, int port) {
        return """
                load_module %1$s;
                daemon off;
                %2$s
                worker_processes 1;
                worker_rlimit_nofile 20000;
                pid %3$s/nginx.pid;
                error_log %3$s/nginx-error.log;
                events { worker_connections 16384; }
                http {
                    access_log off;
                    client_body_temp_path %3$s/body;
                    proxy_temp_path %3$s/proxy;
                    fastcgi_temp_path %3$s/fastcgi;
                    uwsgi_temp_path %3$s/uwsgi;
                    scgi_temp_path %3$s/scgi;
                    tcp_nodelay on;
                    keepalive_requests 1000000000;
                    nchan_shared_memory_size 512M;
                    server {
                        listen 127.0.0.1:%4$d backlog=4096;
                        location ~ ^/pub/(.+)$ {
                            nchan_publisher;
                            nchan_channel_id $1;
                            nchan_message_buffer_length %5$d;
                        }
                        location ~ ^/sub/(.+)$ {
                            nchan_subscriber;
                            nchan_channel_id $1;
                        }
                    }
                }
                """.formatted(
                        module().orElseThrow(),
                        System.getProperty("user.name").equals("root") ? "user root;" : "",
                        site.folder(),
                        port,
                        site.scenario().window() + SPARE_MESSAGES);
    }
}
