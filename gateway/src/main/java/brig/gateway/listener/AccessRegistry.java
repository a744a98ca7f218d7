package brig.gateway.listener;

import brig.gateway.auth.Tickets;
import brig.gateway.auth.Tokens;
import brig.gateway.session.Sessions;

/** Who may come in, and to what. */
public record AccessRegistry(Sessions sessions, Tokens tokens, Tickets tickets) {}
