// Checks with Prometheus' promtool, if installed; `make deps-test` installs it.

import Foundation
import TestSupport
import Testing

enum PromTool {
    static let path: String? = {
        let own = packageRoot.appending(path: ".build/tools/promtool").path
        if FileManager.default.isExecutableFile(atPath: own) { return own }
        return (try? run("which", ["promtool"])).flatMap {
            $0.status == 0 ? $0.output.split(separator: "\n").first.map(String.init) : nil
        }
    }()

    static let missing = "promtool is not here; make deps-test gets it"

    static func check(metrics text: String) throws {
        guard let path else { return print(missing) }
        let (output, status) = try run(path, ["check", "metrics"], input: text)
        #expect(status == 0 && output.isEmpty, "\(output)")
    }

    static func check(rules file: String) throws {
        guard let path else { return print(missing) }
        let (output, status) = try run(path, ["check", "rules", file])
        #expect(status == 0, "\(output)")
    }
}
