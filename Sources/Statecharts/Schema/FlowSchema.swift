import CFiles

/// The JSON Schema of flow files, with which editors complete and check them. It describes their shape; `FlowFile` checks more.
package enum FlowSchema {
    package static let text: String = {
        let file = gamed_flow_schema()
        return String(decoding: UnsafeBufferPointer(start: file.bytes, count: file.size), as: UTF8.self)
    }()
}
