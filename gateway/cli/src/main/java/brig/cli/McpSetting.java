package brig.cli;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.io.WholeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code brig mcp} as a setting in a client's file. Only that setting is shown: the file may have secrets. */
final class McpSetting {
    /** A larger file is not one that Brig should rewrite. */
    private static final long FILE_BYTES_MAX = 32 * 1024 * 1024;

    private static final String MODE = "rw-r--r--";

    /** What a quoted text has between its quotes; no more of it than a path has characters. */
    private static final String INNER = "(?:[^\"\\\\]|\\\\.){0,1024}";

    private final McpClient client;
    private final Path file;
    private final boolean existed;
    private final EditedText text;

    /** @throws BrigException naming the file if it cannot be read */
    private McpSetting(McpClient client, Path file) throws IOException {
        this.client = client;
        this.file = file;
        this.existed = Files.exists(file);
        if (existed && Files.size(file) > FILE_BYTES_MAX) {
            throw new BrigException(ErrorCode.INVALID_FIELD, "it has more than " + FILE_BYTES_MAX + " bytes");
        }
        this.text = client.text(existed ? Files.readString(file) : "");
    }

    /** @throws BrigException naming the file if it cannot be read */
    static McpSetting open(McpClient client, Path file) {
        try {
            return new McpSetting(client, Files.exists(file) ? file.toRealPath() : file);
        } catch (IOException e) {
            throw new BrigException(ErrorCode.INVALID_FIELD, "cannot read " + file + ": " + Reason.of(e));
        } catch (BrigException e) {
            throw new BrigException(e.code(), file + ": " + e.getMessage());
        }
    }

    /**
     * What was made for the setting, and goes with it.
     *
     * @param file whether there was no file
     * @param group whether there was none of the settings around it
     */
    record Made(boolean file, boolean group) {}

    Path file() {
        return file;
    }

    /**
     * Adds the setting, or replaces one of another installation of Brig.
     *
     * @return what was made for it; null if it was there
     * @throws BrigException if another one is there
     */
    @Nullable
    Made add(List<String> command) {
        String wanted = client.setting(command);
        String there = get();
        if (there == null) {
            Made made = new Made(!existed, client.group().isEmpty() || text.get(client.group()) == null);
            text.put(client.path(), wanted);
            return made;
        }
        requireOwn(there, command);
        text.put(client.path(), wanted);
        return null;
    }

    /**
     * Removes the setting.
     *
     * @return whether it was there
     * @throws BrigException if it was changed by hand
     */
    boolean remove(List<String> command, Made made) {
        String there = get();
        if (there == null) {
            return false;
        }
        requireOwn(there, command);
        text.remove(client.path());
        if (made.group() && text.isEmpty(client.group())) {
            text.remove(client.group());
        }
        return true;
    }

    /** What the setting says; null for none. */
    @Nullable
    String get() {
        try {
            return text.get(client.path());
        } catch (BrigException e) {
            throw new BrigException(e.code(), file + ": " + e.getMessage());
        }
    }

    private void requireOwn(String there, List<String> command) {
        if (!plain(there).equals(plain(client.setting(command)))) {
            throw new BrigException(
                    ErrorCode.INVALID_FIELD,
                    file + " has a setting 'brig' that is not as Brig writes it: remove it by hand");
        }
    }

    /** Without layout, the folder of the installation and the file of the settings. */
    private static String plain(String setting) {
        return setting.replaceAll("\\s", "")
                .replaceAll("\"" + INNER + "/brig\"", "\"brig\"")
                .replaceAll("\"--config\",\"" + INNER + "\",", "");
    }

    /** Writes it atomically; deletes a file that was made for the setting and has nothing else. */
    void write(Made made) {
        try {
            if (made.file() && client.isBlank(text.text())) {
                Files.deleteIfExists(file);
                return;
            }
            Files.createDirectories(file.toAbsolutePath().getParent());
            String mode = existed ? PosixFilePermissions.toString(Files.getPosixFilePermissions(file)) : MODE;
            WholeFile.write(file, text.text().getBytes(StandardCharsets.UTF_8), mode);
        } catch (IOException e) {
            throw new BrigException(ErrorCode.INVALID_FIELD, "cannot write " + file + ": " + Reason.of(e));
        }
    }
}
