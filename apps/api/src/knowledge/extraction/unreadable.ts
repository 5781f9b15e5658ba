// Runs in the extraction thread, which Node.js does not compile: only types that can be removed are allowed.

/** A document cannot be read, for a reason that its message tells the user. */
export class Unreadable extends Error {
  override name = 'Unreadable';
}
