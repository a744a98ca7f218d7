package brig.workeragent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What an agent leaves in its workspace for the programs that work there later, on the host: scripts for a shell in the
 * worktree of a repository that {@link #PREPARE} made. Each tries to have {@code evil-program} executed, which leaves a
 * mark where no wall reaches.
 */
public final class HostSideAttacks {
    static final String ENDLESS = "files that git reads and that do not end";
    public static final String FILTER = "a clean filter in a nested repository";
    /** The attacker's program: takes any arguments, leaves a mark where it can, and hands its input on. */
    private static final String PROGRAM = """
            printf '#!/bin/sh\\nid > @marks@/mark.$$ 2> /dev/null\\n(setsid sh -c "sleep 1; id > @marks@/late" &) 2> /dev/null\\ncat\\n' > evil-program
            chmod 755 evil-program; run="$PWD/evil-program"; up='../evil-program'; c='-c user.name=x -c user.email=x@x'
            """;

    private static final String NESTED = PROGRAM + """
            mkdir -p sub; cd sub; git init -q -b main; git config user.name x; git config user.email x@x
            echo aaaa > f; git add -A; git commit -qm s; @trap@
            cd ..; touch -d '1 hour ago' sub/f; echo bbbb > sub/f; touch sub/f
            """;

    /** Makes the repository, with a submodule, so that git looks into the folder of that name. */
    public static final String PREPARE = """
            git init -q -b main .; echo one > a.txt; git add -A; git -c user.name=a -c user.email=a@a commit -qm work
            git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub; mkdir sub
            git -c user.name=a -c user.email=a@a commit -qm work
            """;

    private HostSideAttacks() {}

    /** Every file of the repository that sessions do not share, with its length. */
    public static Map<String, Long> hostFiles(Path repository) throws IOException {
        Map<String, Long> found = new TreeMap<>();
        try (Stream<Path> all = Files.walk(repository)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                String name = repository.relativize(file).toString();
                boolean shared = name.matches("\\.git/(objects|worktrees|refs/heads/brig|logs/refs/heads/brig)/.*");
                if (!shared) {
                    found.put(name, Files.size(file));
                }
            }
        }
        return found;
    }

    private static String nested(String trap) {
        return NESTED.replace("@trap@", trap);
    }

    private static Map<String, String> attacks() {
        Map<String, String> attacks = new LinkedHashMap<>();
        attacks.put(
                FILTER,
                nested(
                        "echo '* filter=x' > .gitattributes; git add -A; git commit -qm t; git config filter.x.clean \"$up\""));
        attacks.put(
                "a filter process in a nested repository",
                nested("echo '* filter=x' > .git/info/attributes; git config filter.x.process \"$up\""));
        attacks.put(
                "a filter that .gitmodules asks not to ignore",
                nested(
                        "echo '* filter=x' > .git/info/attributes; git config filter.x.clean \"$up\"; "
                                + "printf '[submodule \"sub\"]\\n\\tpath = sub\\n\\turl = ./sub\\n\\tignore = none\\n' > ../.gitmodules"));
        attacks.put(
                "a filter in a nested repository that is committed as a gitlink",
                nested("echo '* filter=x' > .gitattributes; git add -A; git commit -qm t; "
                        + "git config filter.x.clean \"$up\"; cd ..; git add sub; git $c commit -qm x; cd sub"));
        attacks.put(
                "programs that a nested repository names",
                nested("mkdir ../hooks; for h in post-index-change pre-commit "
                        + "reference-transaction post-checkout pre-auto-gc; do cp ../evil-program ../hooks/$h; done; "
                        + "git config core.hooksPath ../hooks; for k in core.editor core.askPass credential.helper gpg.program "
                        + "core.gitProxy uploadpack.packObjectsHook pager.diff; do git config $k \"$up\"; done; "
                        + "git config commit.gpgSign true; git config alias.status '!../evil-program'"));
        attacks.put("a monitor in a nested repository", nested("git config core.fsmonitor \"$up\""));
        attacks.put(
                "hooks in a nested repository",
                nested("for h in post-index-change pre-commit reference-transaction "
                        + "fsmonitor-watchman post-checkout; do cp ../evil-program .git/hooks/$h; done"));
        attacks.put(
                "a text conversion and an external diff",
                nested(
                        "echo '* diff=x merge=x' > .git/info/attributes; "
                                + "cp .git/info/attributes ../.gitattributes; git config diff.x.textconv \"$up\"; git config diff.x.command \"$up\"; "
                                + "git config diff.external \"$up\"; git config merge.x.driver \"$up\"; git config core.pager \"$up\""));
        attacks.put(
                "an included configuration",
                nested(
                        "echo '* filter=x' > .git/info/attributes; "
                                + "printf '[filter \"x\"]\\n\\tclean = ../evil-program\\n' > ../conf; git config include.path ../../conf"));
        attacks.put(
                "a filter behind commondir",
                nested("echo '* filter=x' > .git/info/attributes; "
                        + "git config filter.x.clean \"$up\"; mv .git ../real; mkdir .git; echo ../../real > .git/commondir; "
                        + "cp ../real/HEAD ../real/index .git/"));
        attacks.put(
                "a .git file that leads elsewhere",
                nested("echo '* filter=x' > .git/info/attributes; "
                        + "git config filter.x.clean \"$up\"; mv .git ../real; echo 'gitdir: ../real' > .git"));
        attacks.put(
                "a bare repository in the tree",
                nested(
                        "git config core.fsmonitor \"$up\"; "
                                + "git config core.worktree ..; git config core.bare false; cp -r .git/HEAD .git/objects .git/refs .git/config ."));
        attacks.put(
                "a missing object of a promisor",
                nested(
                        "git config core.repositoryformatversion 1; "
                                + "git config extensions.partialClone o; git config remote.o.url \"ext::$up\"; git config remote.o.promisor true; "
                                + "git config protocol.ext.allow always; git config core.sshCommand \"$up\"; rm -rf .git/objects/??"));
        attacks.put(
                "alternates of the shared repository",
                PROGRAM + "common=$(git rev-parse --git-common-dir); mkdir -p "
                        + "$common/objects/info; echo @repository@/.. > $common/objects/info/alternates; echo x > x");
        attacks.put("replaced objects", PROGRAM + "git update-ref refs/replace/$(git rev-parse HEAD) HEAD; echo x > x");
        attacks.put(
                "configuration of the worktree",
                PROGRAM + "own=$(git rev-parse --git-dir); for f in config config.worktree "
                        + "hooks info/attributes commondir gitdir; do rm -rf $own/$f; mkdir -p $own/info; "
                        + "printf '[core]\\n\\tfsmonitor = %s\\n[filter \"x\"]\\n\\tclean = %s\\n' $run $run > $own/$f; done; "
                        + "echo '* filter=x' > .gitattributes; echo x > x");
        attacks.put(
                "names that look like options",
                PROGRAM + "touch -- '--output=@marks@/out' '-c' '--exec=./evil-program' "
                        + "\"$(printf 'a\\nb')\" \"$(printf '\\033]0;x\\007')\" ':(top)x'; echo x > '$(id > @marks@/name)'");
        attacks.put(
                "links out of the tree",
                PROGRAM + "ln -s @repository@/../.. out; ln -s .git/hooks hooks; ln -s /etc/passwd a; "
                        + "mkdir d; ln -s ../.. d/up; rm a.txt; ln -s @marks@ a.txt");
        attacks.put(
                "an index that is a device, and references that are pipes",
                PROGRAM + "own=$(git rev-parse --git-dir); "
                        + "rm $own/index; ln -s /dev/zero $own/index; rm -f $own/HEAD; mkfifo $own/HEAD; echo x > x");
        attacks.put(
                "an index that is a pipe",
                PROGRAM + "own=$(git rev-parse --git-dir); rm $own/index; mkfifo $own/index; echo x > x");
        attacks.put(ENDLESS, PROGRAM + "mkfifo .gitignore; ln -s /dev/zero .gitattributes");
        attacks.put(
                "a branch that is a pipe",
                PROGRAM + "common=$(git rev-parse --git-common-dir); b=$common/refs/heads/brig/*; "
                        + "rm $b; mkfifo $common/refs/heads/brig/other; echo x > x");
        attacks.put(
                "a file that is larger than what is allowed",
                PROGRAM + "truncate -s 3G big; mkfifo pipe; mkdir shut; " + "touch shut/x; chmod 0 shut");
        attacks.put(
                "a filter that does not end",
                nested("echo '* filter=x' > .git/info/attributes; "
                        + "printf '#!/bin/sh\\nsleep 600\\n' > ../evil-program; git config filter.x.clean \"$up\""));
        attacks.put(
                "a pack that grows",
                PROGRAM + "for i in 1 2 3; do head -c 40000000 /dev/zero | tr '\\0' $i > z$i; done; "
                        + "git add -A; git $c commit -qm z; git repack -adfq 2> /dev/null; git gc -q 2> /dev/null; echo x > x");
        return attacks;
    }

    public static Stream<String> names() {
        return attacks().keySet().stream();
    }

    /** @param marks a folder that everybody may write into */
    public static String script(String name, Path marks, Path repository) {
        return attacks().get(name).replace("@marks@", marks.toString()).replace("@repository@", repository.toString());
    }

    public static List<String> marksIn(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}
