// swift-tools-version: 6.2
// Programs that each depend on one product of gamed alone, as other packages do: `scripts/test-products` builds and runs them.
import PackageDescription

/// The root of gamed, for a copy of this package that stands elsewhere.
let root = Context.environment["GAMED_ROOT"] ?? "../.."

func program(_ name: String, on product: String) -> Target {
    .executableTarget(name: name, dependencies: [.product(name: product, package: "gamed")])
}

let package = Package(
    name: "Products",
    dependencies: [.package(name: "gamed", path: root)],
    targets: [
        program("OnlyTimers", on: "Timers"),
        program("OnlyGameFlow", on: "GameFlow"),
        program("OnlyGameDaemon", on: "GameDaemon"),
    ]
)
