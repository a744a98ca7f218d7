package brig.workeragent.image.unpack;

/**
 * A file of an image or of one of its layers.
 *
 * @param path as it was written, which may lead anywhere
 * @param link the target of a link, otherwise empty
 * @param modifiedSeconds since 1970
 */
record ImageEntry(String path, Kind kind, String link, boolean executable, long modifiedSeconds) {
    enum Kind {
        FILE,
        FOLDER,
        SYMBOLIC_LINK,
        HARD_LINK,
        /** A device, a pipe, or what has no name that can be written. */
        OTHER
    }
}
