# Copies what standard input names of /source into /workspace, sharing its blocks.
exec /brig-clone /source /workspace
