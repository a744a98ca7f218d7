package brig.gateway.provider.http;

import brig.protocol.address.Cidr;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the API of a provider is reached.
 *
 * @param keyFile has the key, and is read again for each request
 * @param roots certificates in PEM that are trusted beside those of the JDK; null for none
 * @param networks ranges of addresses of this host and its networks that the provider may have
 */
public record ApiSettings(
        Location server, Path keyFile, @Nullable Path roots, List<Cidr> networks) {
    public ApiSettings {
        networks = List.copyOf(networks);
    }

    /** @throws IllegalArgumentException whose text begins with what is wrong */
    public static ApiSettings of(String url, Path keyFile, @Nullable Path roots, List<String> networks) {
        Location server;
        try {
            server = Location.ofUrl(url);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("url " + e.getMessage(), e);
        }
        return new ApiSettings(
                server,
                keyFile,
                roots,
                networks.stream().map(ApiSettings::network).toList());
    }

    private static Cidr network(String text) {
        Cidr range = Cidr.parse(text);
        if (range == null) {
            throw new IllegalArgumentException("networks must have ranges such as 10.1.0.0/16, and one is " + text);
        }
        return range;
    }
}
