package brig.loadtests.peers;

import brig.loadtests.peers.Server.HeapSample;
import java.util.List;
import java.util.regex.Pattern;

/** The JVM's log of collections ({@code -Xlog:gc:…:timemillis}): heap over time, free of cost for the run. */
final class GcLog {
    private static final Pattern COLLECTION = Pattern.compile(
            "^\\[(\\d+)ms\\] GC\\(\\d+\\) Pause (\\w+) .*?\\d+M->(\\d+)M\\(\\d+M\\)", Pattern.MULTILINE);

    private GcLog() {}

    static List<HeapSample> parse(String log) {
        return COLLECTION
                .matcher(log)
                .results()
                .map(found -> new HeapSample(
                        Long.parseLong(found.group(1)),
                        Long.parseLong(found.group(3)) << 20,
                        found.group(2).equals("Full")))
                .toList();
    }
}
