package brig.workeragent;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.control.LinkToken;
import brig.workeragent.gate.LinkGate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The port of a sandbox for its gateway.
 *
 * <p>Decision 0217.
 *
 * @param address an IPv4 address and a port
 * @param keyFile has the key of its tokens, in one line
 */
record GateOptions(InetSocketAddress address, Path keyFile, LinkToken link) {
    private static final Pattern ADDRESS =
            Pattern.compile("(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3}):(\\d{1,5})");
    private static final Pattern KEY = Pattern.compile("[0-9a-f]{64}");
    private static final Pattern GATEWAY = Pattern.compile("[0-9a-f]{12}");
    private static final int BYTE_MAX = 255;
    private static final int PORT_MAX = 65_535;

    /** @throws BrigException {@code INVALID_FIELD} */
    static GateOptions of(String address, Path keyFile, String gateway, String spawnId) {
        Matcher parts = ADDRESS.matcher(address);
        if (!parts.matches()
                || !Ids.isSpawnId(spawnId)
                || !GATEWAY.matcher(gateway).matches()) {
            throw new BrigException(
                    ErrorCode.INVALID_FIELD,
                    "--gate ADDRESS:PORT needs --gate-key FILE, --gateway-id of 12 hexadecimal digits, and --spawn-id");
        }
        byte[] bytes = new byte[4];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) number(parts.group(i + 1), BYTE_MAX);
        }
        try {
            return new GateOptions(
                    new InetSocketAddress(InetAddress.getByAddress(bytes), number(parts.group(5), PORT_MAX)),
                    keyFile,
                    new LinkToken(gateway, spawnId));
        } catch (IOException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }

    private static int number(String digits, int most) {
        int number = Integer.parseInt(digits);
        if (number > most) {
            throw new BrigException(ErrorCode.INVALID_FIELD, "--gate has a number above " + most);
        }
        return number;
    }

    /**
     * Listens.
     *
     * @param joiner the command of the far end of a joint
     */
    LinkGate open(List<String> joiner) throws IOException {
        String key = Files.readString(keyFile).strip();
        if (!KEY.matcher(key).matches()) {
            throw new BrigException(ErrorCode.INVALID_FIELD, "--gate-key: " + keyFile + " has no key");
        }
        return new LinkGate(address, link, key.getBytes(StandardCharsets.US_ASCII), joiner);
    }
}
