/// The JSON Schema of flow files, with which editors complete and check them. It describes their shape; `FlowFile` checks more.
package enum FlowSchema {
    package static let text = String(decoding: PackageResources.flow_schema_json, as: UTF8.self)
}
