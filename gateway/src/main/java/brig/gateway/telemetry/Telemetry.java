package brig.gateway.telemetry;

/** What spawns are seen by. */
public record Telemetry(Counters counters, Traces traces) {}
