package brig.acp.message;

/** The content of {@code _meta}, in which each program has a name of its own. */
public record Meta(BrigMeta brig) {}
