package brig.workeragent.image.unpack;

import java.io.IOException;

/** Says in words why an image is not taken. */
final class UnusableImageException extends IOException {
    private static final long serialVersionUID = 1;

    UnusableImageException(String why) {
        super(why);
    }

    @Override
    public Throwable fillInStackTrace() {
        return this;
    }
}
