export const SYMBOL_PATTERN = /^[A-Z][A-Z0-9]{0,11}$/;
