/** Our server sets these headers itself: forwarding headers of clients are not to be believed. */
export const CLIENT_ADDRESS_HEADER = "x-floodgate-client";
export const REQUEST_ID_HEADER = "x-floodgate-request";
