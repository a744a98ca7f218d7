package brig.mcp;

import java.nio.file.Path;

/**
 * The server's settings.
 *
 * @param folder that it was started in, which is the client's project
 * @param version of Brig, as clients show it
 */
public record McpOptions(Path folder, String version) {}
