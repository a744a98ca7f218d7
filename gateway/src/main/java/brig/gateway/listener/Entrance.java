package brig.gateway.listener;

import brig.gateway.session.Sessions;
import brig.gateway.session.Tickets;
import brig.gateway.session.Tokens;

/** Who may come in, and to what. */
public record Entrance(Sessions sessions, Tokens tokens, Tickets tickets) {}
