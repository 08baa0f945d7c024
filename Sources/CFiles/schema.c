#include "CFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char text[] = {
#embed "../Statecharts/Schema/flow.schema.json"
};

struct gamed_file gamed_flow_schema(void) {
    return (struct gamed_file){"flow.schema.json", text, sizeof text};
}
