package brig.workeragent.sandbox;

import org.jspecify.annotations.Nullable;

/**
 * How a payload ended. When this is known, no process of its wall is left.
 *
 * @param code      0-255; 128 plus the signal's number if a signal ended it, as in a shell
 * @param signal    name such as {@code SIGTERM}, if a signal ended it
 * @param oomKilled whether the kernel killed some process of the worker for lack of memory; the payload itself may have
 *     survived that
 */
public record ProcessExit(int code, @Nullable String signal, boolean oomKilled) {

    static ProcessExit ofCode(int code, boolean oomKilled) {
        return new ProcessExit(code, null, oomKilled);
    }

    static ProcessExit ofSignal(int number, boolean oomKilled) {
        return new ProcessExit(128 + number, signalName(number), oomKilled);
    }

    /** Numbers as on x86_64 and aarch64, signal(7). */
    private static String signalName(int number) {
        return switch (number) {
            case 1 -> "SIGHUP";
            case 2 -> "SIGINT";
            case 3 -> "SIGQUIT";
            case 4 -> "SIGILL";
            case 5 -> "SIGTRAP";
            case 6 -> "SIGABRT";
            case 7 -> "SIGBUS";
            case 8 -> "SIGFPE";
            case 9 -> "SIGKILL";
            case 10 -> "SIGUSR1";
            case 11 -> "SIGSEGV";
            case 12 -> "SIGUSR2";
            case 13 -> "SIGPIPE";
            case 14 -> "SIGALRM";
            case 15 -> "SIGTERM";
            case 24 -> "SIGXCPU";
            case 25 -> "SIGXFSZ";
            case 31 -> "SIGSYS";
            default -> "SIG" + number;
        };
    }
}
