package brig.gateway.telemetry;

/** The metrics and traces of spawns. */
public record Telemetry(Counters counters, Traces traces) {}
