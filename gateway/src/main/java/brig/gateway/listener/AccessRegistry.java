package brig.gateway.listener;

import brig.gateway.session.Sessions;
import brig.gateway.auth.Tickets;
import brig.gateway.auth.Tokens;

/** Who may come in, and to what. */
public record AccessRegistry(Sessions sessions, Tokens tokens, Tickets tickets) {}
