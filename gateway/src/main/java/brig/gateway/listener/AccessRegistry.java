package brig.gateway.listener;

import brig.gateway.auth.Tickets;
import brig.gateway.auth.Tokens;
import brig.gateway.session.Sessions;

/** The sessions, tokens and tickets that authenticate clients. */
public record AccessRegistry(Sessions sessions, Tokens tokens, Tickets tickets) {}
