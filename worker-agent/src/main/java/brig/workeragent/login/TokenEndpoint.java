package brig.workeragent.login;

import brig.protocol.login.Login;
import java.io.IOException;

/** Where a vendor renews the tokens of a login. */
interface TokenEndpoint {
    /** What it answered. */
    sealed interface Answer {}

    /** New tokens; the refresh token that was sent is used up, unless it sent none back. */
    record Renewed(Login.Tokens tokens) implements Answer {}

    /** The login is not good any more: revoked, ended, or its refresh token was used before. */
    record Refused(String why) implements Answer {}

    /** Asks for new tokens. Blocks. @throws IOException if nobody knows whether the refresh token is still good */
    Answer renew(Login login) throws IOException, InterruptedException;
}
