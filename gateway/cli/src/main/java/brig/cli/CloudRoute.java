package brig.cli;

import brig.protocol.BrigException;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.login.Login;
import brig.protocol.login.ServiceAccount;
import brig.protocol.login.Vendor;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The options of {@code brig route set} for a cloud that offers an agent's models.
 *
 * <p>Decision 0202.
 */
final class CloudRoute {
    /** The agent that speaks their APIs. */
    private static final String AGENT = "claude";

    private static final Pattern PLACE = Pattern.compile("[a-z0-9-]{1,64}");
    private static final Pattern THIS_HOST = Pattern.compile("127(\\.\\d{1,3}){3}|\\[::1]");
    private static final Pattern ID = Pattern.compile("[A-Z0-9]{8,128}");
    private static final Pattern TOKEN = Pattern.compile("[!-~]{8,8192}");
    private static final int FILE_BYTES_MAX = 32 * 1024;

    @Option(
            names = "--bedrock",
            paramLabel = "REGION",
            description =
                    "Amazon Bedrock. Requests are signed with the AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and "
                            + "AWS_SESSION_TOKEN of your shell, or the JSON of 'aws configure export-credentials' in --key-file.")
    private @Nullable String bedrock;

    @Option(
            names = "--vertex",
            paramLabel = "REGION",
            description = "Google Vertex AI, with --project and the service account's file in --key-file.")
    private @Nullable String vertex;

    @Option(names = "--project", paramLabel = "ID", description = "The project at Google.")
    private @Nullable String project;

    boolean isChosen() {
        return bedrock != null || vertex != null;
    }

    /**
     * Sets the route.
     *
     * @param url a proxy of this host; null for the cloud itself
     * @param keyFile null for variables
     */
    Path set(RouteFiles files, String name, @Nullable String url, @Nullable String keyFile) throws IOException {
        if (!name.equals(AGENT)) {
            throw BrigException.invalid("NAME", "must be " + AGENT + ": other agents do not speak the APIs of clouds");
        }
        if (bedrock != null && vertex != null) {
            throw BrigException.invalid("--vertex", "goes without --bedrock");
        }
        String region = place(bedrock != null ? "--bedrock" : "--vertex", bedrock != null ? bedrock : vertex);
        return bedrock != null
                ? setBedrock(files, name, region, url, keyFile)
                : setVertex(files, name, region, url, keyFile);
    }

    private static String place(String option, @Nullable String text) {
        if (text == null || !PLACE.matcher(text).matches()) {
            throw BrigException.invalid(option, "must be small letters, digits and -");
        }
        return text;
    }

    private static Path setBedrock(
            RouteFiles files, String name, String region, @Nullable String url, @Nullable String keyFile)
            throws IOException {
        JsonObject given = keyFile == null ? ofVariables() : object(keyFile);
        String id = given.text("AccessKeyId", "");
        String key = given.text("SecretAccessKey", "");
        String token = given.text("SessionToken");
        if (!ID.matcher(id).matches()
                || !TOKEN.matcher(key).matches()
                || (token != null && !TOKEN.matcher(token).matches())) {
            throw BrigException.invalid(
                    "--key-file",
                    keyFile == null
                            ? "is missing, and AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not in this shell"
                            : "has no credentials in the form of 'aws configure export-credentials'");
        }
        JsonObject kept =
                JsonObject.EMPTY.with("Version", 1L).with("AccessKeyId", id).with("SecretAccessKey", key);
        String line = new String(
                Json.write(token == null ? kept : kept.with("SessionToken", token)), StandardCharsets.US_ASCII);
        String base = base(url, "https://bedrock-runtime." + region + ".amazonaws.com");
        return files.setBedrock(name, base, region, line);
    }

    private static JsonObject ofVariables() {
        JsonObject found = JsonObject.EMPTY;
        for (String[] names : new String[][] {
            {"AccessKeyId", "AWS_ACCESS_KEY_ID"},
            {"SecretAccessKey", "AWS_SECRET_ACCESS_KEY"},
            {"SessionToken", "AWS_SESSION_TOKEN"}
        }) {
            String value = System.getenv(names[1]);
            found = value == null || value.isBlank() ? found : found.with(names[0], value.strip());
        }
        return found;
    }

    private Path setVertex(RouteFiles files, String name, String region, @Nullable String url, @Nullable String keyFile)
            throws IOException {
        String to = place("--project", project);
        if (keyFile == null) {
            throw BrigException.invalid("--key-file", "is missing: the file of a service account");
        }
        String account = new String(Json.write(object(keyFile)), StandardCharsets.UTF_8);
        ServiceAccount read;
        try {
            read = ServiceAccount.read(account);
        } catch (IOException e) {
            throw BrigException.invalid("--key-file", "cannot be used: " + e.getMessage());
        }
        if (!read.tokenUrl().equals(Vendor.GOOGLE.tokenUrl())) {
            requireHere("--key-file", read.tokenUrl());
        }
        String base = base(
                url,
                region.equals("global")
                        ? Vendor.GOOGLE.baseUrl()
                        : "https://" + region + "-aiplatform.googleapis.com/v1");
        // It has no token yet: the first request gets one.
        Login login = new Login(Vendor.GOOGLE, read.tokenUrl(), "none-yet", account, 1, null, null);
        return files.setVertex(name, base, region, to, login);
    }

    private static String base(@Nullable String url, String usual) {
        if (url == null) {
            return usual;
        }
        requireHere("--url", url);
        return url.replaceFirst("/+$", "");
    }

    /** Credentials go to their cloud, or to a proxy that cannot be somebody else's. */
    private static void requireHere(String option, String text) {
        URI parsed;
        try {
            parsed = URI.create(text);
        } catch (IllegalArgumentException e) {
            throw BrigException.invalid(option, "is no URL");
        }
        if (parsed.getHost() == null || !THIS_HOST.matcher(parsed.getHost()).matches()) {
            throw BrigException.invalid(option, "must lead to the cloud, or to 127.0.0.1 or [::1]");
        }
    }

    private static JsonObject object(String file) {
        try (InputStream in = file.equals("-") ? System.in : Files.newInputStream(Path.of(file))) {
            return JsonObject.read(in.readNBytes(FILE_BYTES_MAX));
        } catch (IOException e) {
            throw BrigException.invalid("--key-file", "cannot be read: " + file);
        } catch (BrigException e) {
            // Its text may have a piece of the file.
            throw BrigException.invalid("--key-file", "is no JSON object");
        }
    }
}
