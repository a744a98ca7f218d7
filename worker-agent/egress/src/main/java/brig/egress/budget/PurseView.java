package brig.egress.budget;

/**
 * A purse at one moment.
 *
 * @param percent how much of it is used up
 */
public record PurseView(String name, Amount used, Amount reserved, Limit limit, int percent) {}
