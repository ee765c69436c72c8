/** The build of the pages that belongs to the server that answers: an older page notices that it is old. */
export const BUILD_HEADER = "x-floodgate-build";
