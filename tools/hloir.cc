// The hloir command itself: HloirMain with the passes that come with hloir.
#include "hloir/main.h"

int main(int argc, char** argv) { return hloir::HloirMain(argc, argv); }
