# Says which git works on workspaces.
git --version
