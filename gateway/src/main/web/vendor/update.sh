#!/bin/sh -e
# Makes the files of this folder anew: each library as one ES module with only what the page uses, and its licence.
# The build does not run this and needs no npm: what it makes is kept here, as versions.json says. Run it to take
# newer versions: change them below, run it, read the diff of versions.json, run the tests of the page.
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts esbuild@0.25.12 lit-html@3.3.3 @tanstack/virtual-core@3.19.11 \
    @xterm/xterm@6.0.0 @xterm/addon-fit@0.11.0 @xterm/addon-unicode11@0.9.0 anser@2.3.5 diff@9.0.0
node node_modules/esbuild/install.js

# file, packages (the first names the licence), what it exports
vendor() {
    file=$1 packages=$2
    printf '%s\n' "$3" > entry.js
    licence=$(sed 's/^/ * /; s/ *$//' "node_modules/${packages%% *}/LICENSE")
    node_modules/.bin/esbuild entry.js --bundle --format=esm --minify --legal-comments=none \
        --define:process.env.NODE_ENV='"production"' --banner:js="/*
$licence
 */" --outfile="$here/$file.js" --log-level=warning
    for package in $packages; do
        version=$(node -p "require('./node_modules/$package/package.json').version")
        spdx=$(node -p "require('./node_modules/$package/package.json').license")
        printf '  {"file": "%s.js", "package": "%s", "version": "%s", "licence": "%s"},\n' \
            "$file" "$package" "$version" "$spdx" >> versions
    done
}
vendor lit 'lit-html' "
export {html, svg, render, nothing} from 'lit-html';
export {repeat} from 'lit-html/directives/repeat.js';
export {ref} from 'lit-html/directives/ref.js';
export {guard} from 'lit-html/directives/guard.js';
export {live} from 'lit-html/directives/live.js';"
vendor virtual '@tanstack/virtual-core' "
export {Virtualizer, elementScroll, observeElementOffset, observeElementRect} from '@tanstack/virtual-core';"
vendor xterm '@xterm/xterm @xterm/addon-fit @xterm/addon-unicode11' "
export {Terminal} from '@xterm/xterm';
export {FitAddon} from '@xterm/addon-fit';
export {Unicode11Addon} from '@xterm/addon-unicode11';"
vendor anser 'anser' "export {default} from 'anser';"
vendor diff 'diff' "export {parsePatch, diffWordsWithSpace} from 'diff';"
cp node_modules/@xterm/xterm/css/xterm.css "$here/xterm.css"
printf '[\n%s\n]\n' "$(sed '$ s/,$//' versions)" > "$here/versions.json"
