package brig.project;

import brig.protocol.BrigException;
import brig.protocol.spawn.RootName;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An image elsewhere: in a registry, or in a file or folder that skopeo reads.
 *
 * @param transport as skopeo names it, with what ends it
 * @param place the registry and repository, or the path
 * @param tag null for none
 * @param digest null for none
 */
public record ImageReference(
        String transport,
        String place,
        @Nullable String tag,
        @Nullable String digest) {
    private static final String REGISTRY = "docker://";
    private static final Set<String> OF_FILES = Set.of("oci:", "oci-archive:", "docker-archive:");
    /** What of skopeo's reaches programs of this host. */
    private static final Set<String> OF_PROGRAMS = Set.of("docker-daemon:", "containers-storage:", "dir:", "ostree:");

    private static final int LENGTH_MAX = 1024;
    private static final Pattern TRANSPORT = Pattern.compile("([a-z-]+:)(.*)", Pattern.DOTALL);
    private static final Pattern IN_REGISTRY = Pattern.compile("([A-Za-z0-9](?:[A-Za-z0-9._/-]|:(?=[0-9]+/))*+)"
            + "(?::([A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?");
    private static final Pattern IN_FILES = Pattern.compile("([^:\\p{Cntrl}]+)(?::([^\\p{Cntrl}]{1,256}))?");
    private static final String USUAL_TAG = "latest";

    /** @throws BrigException {@code INVALID_FIELD}; it repeats nothing of the text, as a password may be in it */
    public static ImageReference parse(String text) {
        Matcher named = TRANSPORT.matcher(text);
        String transport = named.matches() ? named.group(1) : "";
        if (OF_PROGRAMS.contains(transport)) {
            throw invalid("cannot come from " + transport + " 'skopeo copy' makes an OCI layout of it, for --from");
        }
        boolean isOfFiles = OF_FILES.contains(transport);
        String rest = isOfFiles ? named.group(2) : text.startsWith(REGISTRY) ? text.substring(REGISTRY.length()) : text;
        Matcher parts = (isOfFiles ? IN_FILES : IN_REGISTRY).matcher(rest);
        if (text.length() > LENGTH_MAX || !parts.matches()) {
            throw invalid(
                    "must be such as debian:12, ghcr.io/owner/name@sha256:…, oci:FOLDER:TAG or docker-archive:FILE;"
                            + " passwords are for 'skopeo login'");
        }
        return isOfFiles
                ? new ImageReference(transport, parts.group(1), parts.group(2), null)
                : new ImageReference(REGISTRY, parts.group(1), parts.group(2), parts.group(3));
    }

    private static BrigException invalid(String why) {
        return BrigException.invalid("IMAGE", why);
    }

    public boolean isInRegistry() {
        return transport.equals(REGISTRY);
    }

    public ImageReference pinnedTo(String found) {
        return new ImageReference(transport, place, null, found);
    }

    /** As skopeo takes it: with a digest, it takes no tag. */
    public String forSkopeo() {
        return transport + written();
    }

    /** As a person writes one of a registry. */
    String written() {
        return place + (digest != null ? "@" + digest : tag != null ? ":" + tag : "");
    }

    /** A name for it here; null if nothing of it is one. */
    public @Nullable String usualName() {
        String last = place.substring(place.lastIndexOf('/') + 1);
        String tagged = tag == null || tag.equals(USUAL_TAG) ? last : last + "-" + tag;
        String name = tagged.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9._-]+", "-");
        return RootName.isName(name) ? name : null;
    }
}
