# Says "changed" where something is.
if [ -s /tmp/differ ]; then echo changed; fi
