package brig.egress.secret;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;

/** The credentials that systemd gives to this service ({@code LoadCredential=}, systemd.exec(5)). Blocks; thread-safe. */
public final class SystemdCredentials {
    private static final String FOLDER = "CREDENTIALS_DIRECTORY";
    /** A name that is a file of that folder, and no way out of it. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}");

    private static final int VALUE_BYTES_MAX = 16 * 1024;

    private final Map<String, String> environment;

    /** @param environment of this process */
    public SystemdCredentials(Map<String, String> environment) {
        this.environment = environment;
    }

    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    /**
     * The first line of a credential.
     *
     * @throws IOException saying why there is none, without it
     */
    public String read(String name) throws IOException {
        String folder = environment.get(FOLDER);
        if (folder == null || folder.isEmpty()) {
            throw new IOException(
                    "systemd gave no credentials to the worker-agent: its unit needs LoadCredential=" + name + ":FILE");
        }
        if (!isName(name)) {
            throw new IOException("'" + name + "' is no name of a credential");
        }
        try (InputStream in = Files.newInputStream(Path.of(folder, name))) {
            return new String(in.readNBytes(VALUE_BYTES_MAX), StandardCharsets.UTF_8)
                    .lines()
                    .findFirst()
                    .orElse("");
        } catch (IOException e) {
            throw new IOException(
                    "the worker-agent has no credential " + name + " (LoadCredential= in its unit): "
                            + e.getClass().getSimpleName(),
                    e);
        }
    }
}
