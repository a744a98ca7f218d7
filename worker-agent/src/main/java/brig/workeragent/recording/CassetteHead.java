package brig.workeragent.recording;

import brig.protocol.record.Default;
import brig.protocol.record.Extensible;

/**
 * The first line of a cassette.
 *
 * @param cassette the version of its format
 * @param agent the name of the recorded profile
 * @param adapter the native format
 */
@Extensible
record CassetteHead(
        int cassette,
        @Default("") String agent,
        @Default("") String adapter) {}
