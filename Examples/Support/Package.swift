// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Support",
    products: [.library(name: "Programs", targets: ["Programs"])],
    targets: [.target(name: "Programs")],
    swiftLanguageModes: [.v6]
)
