/**
 * Observability of the gateway: metrics for Prometheus, spans for a collector, log events. Other packages update the
 * counters; gauges are read through {@link brig.gateway.telemetry.GaugeReadings}.
 */
@NullMarked
package brig.gateway.telemetry;

import org.jspecify.annotations.NullMarked;
