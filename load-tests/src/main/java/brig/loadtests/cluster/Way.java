package brig.loadtests.cluster;

/** How many gateways there are, and at which of them readers are. */
enum Way {
    ALONE("alone", "one gateway alone", 0, 1, 0),
    CLUSTER("cluster", "with the cluster on", 1, 1, 0),
    THREE("three", "three gateways", 3, 3, 0),
    ELSEWHERE("three_elsewhere", "read elsewhere", 3, 3, 1);

    private final String key;
    private final String title;
    private final int servers;
    private final int gateways;
    private final int reader;

    Way(String key, String title, int servers, int gateways, int reader) {
        this.key = key;
        this.title = title;
        this.servers = servers;
        this.gateways = gateways;
        this.reader = reader;
    }

    String key() {
        return key;
    }

    String title() {
        return title;
    }

    /** Servers of NATS. */
    int servers() {
        return servers;
    }

    int gateways() {
        return gateways;
    }

    /** The gateway with the readers; the first one owns the host. */
    int reader() {
        return reader;
    }
}
