package brig.client;

/** A connection on which lines go both ways. One thread reads, any number write. */
interface Wire {
    /** What came; nothing at the end, whatever ended it. Waits. */
    byte[] read();

    /** Sends whole lines. Waits until they are on their way, or the connection has ended. */
    void write(String lines);

    /** Ends it; who waits gets the end. May be called from any thread, and more than once. */
    void close();
}
