/** The signal that ends a sandbox process whose code used too much processor time and could not be interrupted. */
export const OUT_OF_CPU = 'SIGVTALRM';
