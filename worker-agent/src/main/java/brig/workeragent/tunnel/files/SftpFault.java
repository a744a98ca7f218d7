package brig.workeragent.tunnel.files;

/** A packet breaks the protocol. From the far side it ends the mount; from here only the request is refused. */
final class SftpFault extends RuntimeException {
    private static final long serialVersionUID = 1;

    SftpFault(String message) {
        super(message, null, false, false);
    }
}
