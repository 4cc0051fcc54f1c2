// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MakerDaiJoin} from "./MakerDaiJoin.sol";
import {MakerJug} from "./MakerJug.sol";
import {MakerVat, RAY} from "./MakerVat.sol";
import {SkyToken} from "./SkyToken.sol";

interface Farm {
    function rewardsToken() external view returns (SkyToken);
    function stake(uint256 amount) external;
    function withdraw(uint256 amount) external;
    function getReward() external;
}

/// What one position of a wallet has: collateral in the Vat, and tokens of it that farms take.
contract LockstakeUrn {
    address private immutable engine = msg.sender;
    SkyToken private immutable receipt;

    constructor(MakerVat vat, SkyToken receipt_) {
        receipt = receipt_;
        vat.hope(msg.sender);
        receipt_.approve(msg.sender, type(uint256).max);
    }

    modifier isEngine() {
        require(msg.sender == engine);
        _;
    }

    function stake(Farm farm, uint256 wad) external isEngine {
        receipt.approve(address(farm), wad);
        farm.stake(wad);
    }

    function withdraw(Farm farm, uint256 wad) external isEngine {
        farm.withdraw(wad);
    }

    function getReward(Farm farm, address to) external isEngine returns (uint256 amt) {
        farm.getReward();
        SkyToken token = farm.rewardsToken();
        amt = token.balanceOf(address(this));
        token.transfer(to, amt);
    }
}

/// Locks SKY, lets it vote and earn in a farm, and lends USDS against it, as Sky's LockstakeEngine. Farms are told no referral.
contract LockstakeEngine {
    uint256 private constant WAD = 1e18;

    MakerVat public immutable vat;
    MakerJug public immutable jug;
    MakerDaiJoin public immutable usdsJoin;
    bytes32 public immutable ilk;
    SkyToken public immutable sky;
    SkyToken public immutable lssky;
    uint256 public immutable fee;
    mapping(address => uint256) public ownerUrnsCount;
    mapping(address => mapping(uint256 => address)) public ownerUrns;
    mapping(address => address) public urnOwners;
    mapping(address => address) public urnVoteDelegates;
    mapping(address => Farm) public urnFarms;
    mapping(address => uint256) public urnAuctions;

    event Open(address indexed owner, uint256 indexed index, address urn);
    event SelectVoteDelegate(address indexed owner, uint256 indexed index, address indexed voteDelegate);
    event SelectFarm(address indexed owner, uint256 indexed index, address indexed farm, uint16 ref);
    event Lock(address indexed owner, uint256 indexed index, uint256 wad, uint16 ref);
    event Free(address indexed owner, uint256 indexed index, address to, uint256 wad, uint256 freed);
    event Draw(address indexed owner, uint256 indexed index, address to, uint256 wad);
    event Wipe(address indexed owner, uint256 indexed index, uint256 wad);
    event GetReward(address indexed owner, uint256 indexed index, address indexed farm, address to, uint256 amt);
    event OnKick(address indexed urn, uint256 wad);
    event OnRemove(address indexed urn, uint256 sold, uint256 burn, uint256 refund);

    constructor(MakerJug jug_, MakerDaiJoin usdsJoin_, bytes32 ilk_, SkyToken sky_, SkyToken lssky_, uint256 fee_) {
        (vat, jug, usdsJoin, ilk) = (jug_.vat(), jug_, usdsJoin_, ilk_);
        (sky, lssky, fee) = (sky_, lssky_, fee_);
        vat.hope(address(usdsJoin));
        usdsJoin.dai().approve(address(usdsJoin), type(uint256).max);
    }

    function open(uint256 index) external returns (address urn) {
        require(index == ownerUrnsCount[msg.sender]++, "LockstakeEngine/wrong-urn-index");
        urn = address(new LockstakeUrn(vat, lssky));
        ownerUrns[msg.sender][index] = urn;
        urnOwners[urn] = msg.sender;
        emit Open(msg.sender, index, urn);
    }

    function selectVoteDelegate(address owner, uint256 index, address voteDelegate) external {
        address urn = _authed(owner, index);
        require(urnAuctions[urn] == 0, "LockstakeEngine/urn-in-auction");
        require(urnVoteDelegates[urn] != voteDelegate, "LockstakeEngine/same-vote-delegate");
        urnVoteDelegates[urn] = voteDelegate;
        emit SelectVoteDelegate(owner, index, voteDelegate);
    }

    function selectFarm(address owner, uint256 index, Farm farm, uint16 ref) external {
        address urn = _authed(owner, index);
        require(urnAuctions[urn] == 0, "LockstakeEngine/urn-in-auction");
        require(urnFarms[urn] != farm, "LockstakeEngine/same-farm");
        (uint256 ink,) = vat.urns(ilk, urn);
        _selectFarm(urn, ink, farm);
        emit SelectFarm(owner, index, address(farm), ref);
    }

    function lock(address owner, uint256 index, uint256 wad, uint16 ref) external {
        address urn = _urn(owner, index);
        sky.transferFrom(msg.sender, address(this), wad);
        vat.slip(ilk, urn, int256(wad));
        vat.frob(ilk, urn, urn, address(0), int256(wad), 0);
        lssky.mint(urn, wad);
        if (address(urnFarms[urn]) != address(0)) LockstakeUrn(urn).stake(urnFarms[urn], wad);
        emit Lock(owner, index, wad, ref);
    }

    function free(address owner, uint256 index, address to, uint256 wad) external returns (uint256 freed) {
        address urn = _authed(owner, index);
        if (address(urnFarms[urn]) != address(0)) LockstakeUrn(urn).withdraw(urnFarms[urn], wad);
        lssky.burn(urn, wad);
        vat.frob(ilk, urn, urn, address(0), -int256(wad), 0);
        vat.slip(ilk, urn, -int256(wad));
        uint256 burnt = (wad * fee) / WAD;
        if (burnt > 0) sky.burn(address(this), burnt);
        freed = wad - burnt;
        sky.transfer(to, freed);
        emit Free(owner, index, to, wad, freed);
    }

    function draw(address owner, uint256 index, address to, uint256 wad) external {
        address urn = _authed(owner, index);
        uint256 rate = jug.drip(ilk);
        vat.frob(ilk, urn, address(0), address(this), 0, int256((wad * RAY + rate - 1) / rate));
        usdsJoin.exit(to, wad);
        emit Draw(owner, index, to, wad);
    }

    function wipe(address owner, uint256 index, uint256 wad) external {
        address urn = _urn(owner, index);
        usdsJoin.dai().transferFrom(msg.sender, address(this), wad);
        usdsJoin.join(address(this), wad);
        (, uint256 rate,,,) = vat.ilks(ilk);
        vat.frob(ilk, urn, address(0), address(this), 0, -int256((wad * RAY) / rate));
        emit Wipe(owner, index, wad);
    }

    function wipeAll(address owner, uint256 index) external returns (uint256 wad) {
        address urn = _urn(owner, index);
        (, uint256 art) = vat.urns(ilk, urn);
        (, uint256 rate,,,) = vat.ilks(ilk);
        wad = (art * rate + RAY - 1) / RAY;
        usdsJoin.dai().transferFrom(msg.sender, address(this), wad);
        usdsJoin.join(address(this), wad);
        vat.frob(ilk, urn, address(0), address(this), 0, -int256(art));
        emit Wipe(owner, index, wad);
    }

    function getReward(address owner, uint256 index, Farm farm, address to) external returns (uint256 amt) {
        amt = LockstakeUrn(_authed(owner, index)).getReward(farm, to);
        emit GetReward(owner, index, address(farm), to, amt);
    }

    /// A liquidation begins: so much of the collateral was taken in the Vat.
    function onKick(address urn, uint256 wad) external {
        (uint256 ink,) = vat.urns(ilk, urn);
        urnVoteDelegates[urn] = address(0);
        _selectFarm(urn, ink + wad, Farm(address(0)));
        lssky.burn(urn, wad);
        urnAuctions[urn]++;
        emit OnKick(urn, wad);
    }

    /// It ends, and what is left comes back.
    function onRemove(address urn, uint256 sold, uint256 left) external {
        uint256 due = (sold * fee) / (WAD - fee);
        uint256 burnt = due < left ? due : left;
        sky.burn(address(this), burnt);
        vat.slip(ilk, urn, int256(left - burnt));
        vat.grab(ilk, urn, urn, address(0), int256(left - burnt), 0);
        lssky.mint(urn, left - burnt);
        urnAuctions[urn]--;
        emit OnRemove(urn, sold, burnt, left - burnt);
    }

    function _selectFarm(address urn, uint256 wad, Farm farm) private {
        if (wad > 0) {
            if (address(urnFarms[urn]) != address(0)) LockstakeUrn(urn).withdraw(urnFarms[urn], wad);
            if (address(farm) != address(0)) LockstakeUrn(urn).stake(farm, wad);
        }
        urnFarms[urn] = farm;
    }

    function _urn(address owner, uint256 index) private view returns (address urn) {
        urn = ownerUrns[owner][index];
        require(urn != address(0), "LockstakeEngine/invalid-urn");
    }

    function _authed(address owner, uint256 index) private view returns (address) {
        require(msg.sender == owner, "LockstakeEngine/urn-not-authorized");
        return _urn(owner, index);
    }
}
