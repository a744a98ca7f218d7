package brig.acp.message;

import brig.protocol.record.CamelCase;
import brig.protocol.record.Name;

/** The answer to {@code session/new}. */
@CamelCase
public record SessionBegun(String sessionId, @Name("_meta") Meta meta) {}
