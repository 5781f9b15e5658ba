export * from './agents.ts';
export * from './auth.ts';
export * from './chat.ts';
export * from './errors.ts';
export * from './meta.ts';
export * from './models.ts';
export * from './page.ts';
export * from './stream.ts';
