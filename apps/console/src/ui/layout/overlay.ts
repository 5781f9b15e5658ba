/** The handle of a route that is shown above the page of its parent, such as a drawer. */
export const OVERLAY = { overlay: true };

export const isOverlay = (handle: unknown): boolean => handle === OVERLAY;
