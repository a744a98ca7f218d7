package brig.gateway.host;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.io.WholeFile;
import brig.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** What a gateway keeps of its hosts, as a file that only its owner can read, and the gateway's own id. */
public final class HostFile implements Hosts.Store {
    private static final int ID_BYTES = 6;

    private final Path file;
    private final Path idFile;
    private final Executor disk;
    private final Executor loop;

    public HostFile(Path file, Path idFile, Executor disk, Executor loop) {
        this.file = file;
        this.idFile = idFile;
        this.disk = disk;
        this.loop = loop;
    }

    /** @throws BrigException if it is there and cannot be read: its epochs are needed */
    public Hosts.Kept load() {
        if (!Files.exists(file)) {
            return new Hosts.Kept(Map.of(), Map.of());
        }
        try {
            return Json.read(Files.readAllBytes(file), Hosts.Kept.class);
        } catch (IOException | BrigException e) {
            throw new BrigException(
                    ErrorCode.INTERNAL,
                    "cannot read the hosts in " + file + ": " + Reason.withFile(e)
                            + "; without the file, hosts that were added at run time are unknown");
        }
    }

    /** 12 hexadecimal digits, which worker-agents on hosts know this gateway by. Made at the first start. */
    public String gatewayId() {
        try {
            String id = Files.exists(idFile) ? Files.readString(idFile).strip() : "";
            if (!id.matches("[0-9a-f]{12}")) {
                byte[] bytes = new byte[ID_BYTES];
                new SecureRandom().nextBytes(bytes);
                id = HexFormat.of().formatHex(bytes);
                WholeFile.write(idFile, (id + "\n").getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            }
            return id;
        } catch (IOException e) {
            throw new BrigException(ErrorCode.INTERNAL, "cannot read or make " + idFile + ": " + Reason.of(e));
        }
    }

    @Override
    public CompletionStage<Void> save(Hosts.Kept kept) {
        byte[] content = Json.write(kept);
        CompletableFuture<Void> saved = new CompletableFuture<>();
        disk.execute(() -> {
            try {
                WholeFile.write(file, content);
                loop.execute(() -> saved.complete(null));
            } catch (IOException e) {
                BrigException why = new BrigException(
                        ErrorCode.RECORD_LOST, "cannot write the hosts to " + file + ": " + Reason.of(e));
                loop.execute(() -> saved.completeExceptionally(why));
            }
        });
        return saved;
    }
}
