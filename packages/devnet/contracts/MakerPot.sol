// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MakerVat, Noting, RAY, rpow} from "./MakerVat.sol";

/// Savings of DAI that lies in the Vat: shares (`pie`) worth `chi`, which grows by the savings rate.
contract MakerPot is Noting {
    MakerVat public immutable vat;
    uint256 public immutable dsr;
    uint256 public chi = RAY;
    uint256 public rho = block.timestamp;
    uint256 public Pie;
    mapping(address => uint256) public pie;

    constructor(MakerVat vat_, uint256 dsr_) {
        (vat, dsr) = (vat_, dsr_);
    }

    function drip() external note returns (uint256 now_) {
        now_ = (rpow(dsr, block.timestamp - rho) * chi) / RAY;
        vat.suck(address(0), address(this), Pie * (now_ - chi));
        (chi, rho) = (now_, block.timestamp);
    }

    function join(uint256 wad) external note {
        require(block.timestamp == rho, "Pot/rho-not-updated");
        pie[msg.sender] += wad;
        Pie += wad;
        vat.move(msg.sender, address(this), chi * wad);
    }

    function exit(uint256 wad) external note {
        pie[msg.sender] -= wad;
        Pie -= wad;
        vat.move(address(this), msg.sender, chi * wad);
    }
}
