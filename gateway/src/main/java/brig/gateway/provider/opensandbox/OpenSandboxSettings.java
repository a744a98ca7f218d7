package brig.gateway.provider.opensandbox;

import brig.gateway.provider.http.ApiSettings;
import java.util.List;

/**
 * An OpenSandbox server, and what its sandboxes are made of.
 *
 * @param api its URL ends with {@code /v1}
 * @param image of each sandbox
 * @param cpu as in Kubernetes: {@code 500m}, {@code 2}
 * @param memory likewise: {@code 512Mi}
 * @param endpointHosts where ports of sandboxes may be reached beside the server itself: {@code HOST}, {@code HOST:PORT},
 *     {@code *.DOMAIN}
 */
public record OpenSandboxSettings(
        ApiSettings api, String image, String cpu, String memory, List<String> endpointHosts) {
    public OpenSandboxSettings {
        endpointHosts = List.copyOf(endpointHosts);
    }
}
