package brig.acp.message;

/** What stands under {@code _meta}: the protocol leaves a name in it to each program. */
public record Meta(BrigMeta brig) {}
