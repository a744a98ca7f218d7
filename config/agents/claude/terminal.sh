# Starts Claude Code on a terminal. Its first questions (colours, an account, the key of the environment, trust in the
# folder) are answered before, once for each home: they lead to servers that the wall does not.
settings=$HOME/.claude.json
[ -s "$settings" ] || echo '{}' >"$settings"
grep -q hasCompletedOnboarding "$settings" || sed -i "
    1s|^{|{\"hasCompletedOnboarding\":true,\"customApiKeyResponses\":{\"approved\":[\"$ANTHROPIC_API_KEY\"],\"rejected\":[]},\
\"projects\":{\"$PWD\":{\"hasTrustDialogAccepted\":true}},|
    s|,}\$|}|" "$settings"
exec "$@"
