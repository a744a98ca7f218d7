package brig.workeragent.image.unpack;

/** What an image may take on disk. Counts what it has taken. */
final class Bounds {
    private final long bytesMax;
    private final long filesMax;
    private long bytes;
    private long files;

    Bounds(long bytesMax, long filesMax) {
        this.bytesMax = bytesMax;
        this.filesMax = filesMax;
    }

    void addFile() throws UnusableImageException {
        if (++files > filesMax) {
            throw new UnusableImageException(
                    "it has more than " + filesMax + " files; the bound is worker.images.filesMax");
        }
    }

    void addBytes(long count) throws UnusableImageException {
        bytes += count;
        if (bytes > bytesMax) {
            throw new UnusableImageException(
                    "it takes more than " + bytesMax + " bytes; the bound is worker.images.bytesMax");
        }
    }

    long bytesMax() {
        return bytesMax;
    }

    long filesMax() {
        return filesMax;
    }

    long bytes() {
        return bytes;
    }

    long files() {
        return files;
    }
}
