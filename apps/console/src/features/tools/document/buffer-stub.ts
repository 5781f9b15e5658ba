/** The reference parser asks `Buffer.isBuffer`, which browsers lack. Imported before it. */
(globalThis as { Buffer?: unknown }).Buffer ??= { isBuffer: () => false };
