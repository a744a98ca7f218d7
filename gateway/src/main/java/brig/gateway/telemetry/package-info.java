/**
 * What an operator sees of the gateway: numbers for Prometheus, spans for a collector, lines for a log. The other
 * packages count here; what can be asked instead of counted comes as a {@link brig.gateway.telemetry.GaugeReadings}.
 */
@NullMarked
package brig.gateway.telemetry;

import org.jspecify.annotations.NullMarked;
