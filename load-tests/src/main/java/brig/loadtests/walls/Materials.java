package brig.loadtests.walls;

import brig.loadtests.product.HttpWire;
import brig.protocol.json.JsonObject;
import java.io.IOException;

/** The folders that agents work in, made by sessions behind bubblewrap: each belongs to the user that workers have. */
final class Materials {
    private static final int FILES_EACH = 100;
    private static final int SECONDS_MAX = 900;

    private static final String REPOSITORY = """
            command -v git >/dev/null || { echo 'there is no git in /usr/bin: install it'; exit 127; }
            set -e
            git init -q .
            for d in $(seq $folders); do
                mkdir -p folder$d
                for f in $(seq $each); do echo "line of $f" > folder$d/$f.txt; done
            done
            git add .
            git -c user.name=bench -c user.email=bench@example.org commit -qm files
            """;

    /** Packages that need no registry. */
    private static final String NPM_PROJECT = """
            command -v npm >/dev/null || { echo 'there is no npm in /usr/bin: install nodejs and npm there'; exit 127; }
            set -e
            mkdir -p packages package
            list=
            for p in $(seq 20); do
                echo '{"name":"p'$p'","version":"1.0.0"}' > package/package.json
                for f in $(seq 20); do echo "module.exports = $f" > package/$f.js; done
                tar czf packages/p$p.tgz package
                list="$list,\\"p$p\\":\\"file:packages/p$p.tgz\\""
            done
            echo '{"name":"bench","version":"1.0.0","dependencies":{'"${list#,}"'}}' > package.json
            npm install --package-lock-only --offline --no-audit --no-fund --ignore-scripts >/dev/null
            """;

    /** A file of which gcc has to optimize much and read little. */
    private static final String C_FILES = """
            command -v gcc >/dev/null || { echo 'there is no gcc in /usr/bin: install it'; exit 127; }
            set -e
            echo 'int main(void) { return 0; }' > warm.c
            for f in $(seq 400); do
                echo "unsigned f$f(unsigned *a, unsigned n) {
                    unsigned s = $f;
                    for (unsigned i = 0; i < n; i++) for (unsigned j = i; j < n; j += $f) {
                        if (a[i] > a[j]) { unsigned t = a[i]; a[i] = a[j]; a[j] = t; s ^= t << $((f % 31)); }
                        else s = s * 31 + a[j] % (i + 1);
                    }
                    return s;
                }"
            done > big.c
            """;

    private Materials() {}

    /** Makes a file of C that takes seconds to compile. @return the folder */
    static String bigFile(HttpWire.Place place) throws IOException {
        return make(place, C_FILES);
    }

    /** Makes a repository of about so many files. @return the folder */
    static String repository(HttpWire.Place place, int files) throws IOException {
        int folders = Math.max(1, files / FILES_EACH);
        return make(place, "folders=" + folders + " each=" + FILES_EACH + "\n" + REPOSITORY);
    }

    /** Makes a project of npm whose packages are in it. @return the folder */
    static String npmProject(HttpWire.Place place) throws IOException {
        return make(place, NPM_PROJECT);
    }

    /** Runs a script in a new folder. @return the folder */
    static String make(HttpWire.Place place, String script) throws IOException {
        JsonObject bubblewrap = JsonObject.builder().put("wall", "bwrap").build();
        try (WalledSession session = WalledSession.start(place, bubblewrap, script, SECONDS_MAX)) {
            session.output();
            return session.workspace();
        }
    }
}
