// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

interface IRequestedEther {
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function getTotalPooledEther() external view returns (uint256);
    function getTotalShares() external view returns (uint256);
}

interface IWrappedRequest {
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function unwrap(uint256 amount) external returns (uint256);
}

/**
 * ether.fi's withdrawal queue and its liquidity pool at one address, and the adapter that takes the wrapped token. A
 * finalisation fixes the rate, rounded up, for all requests up to an id; requests from before rates were fixed are paid at the
 * present one. Anyone may finalise, suspend and claim here; a claim pays the owner.
 */
contract WithdrawRequests is ERC721 {
    struct WithdrawRequest {
        uint96 amountOfEEth;
        uint96 shareOfEEth;
        bool isValid;
        uint32 feeGwei;
    }

    struct Checkpoint {
        uint32 upTo;
        uint224 rate;
    }

    IRequestedEther public immutable eETH;
    IWrappedRequest public immutable weETH;
    uint32 public nextRequestId = 1;
    uint32 public lastFinalizedRequestId;
    mapping(uint256 => WithdrawRequest) private requests;
    Checkpoint[] private rates;

    event WithdrawRequestCreated(uint32 indexed requestId, uint256 amountOfEEth, uint256 shareOfEEth, address owner);
    event WithdrawRequestClaimed(uint32 indexed requestId, uint256 amountOfEEth, uint256 shareOfEEth, address owner);
    event WithdrawRequestInvalidated(uint32 indexed requestId);
    event WithdrawRequestValidated(uint32 indexed requestId);

    error RequestNotFinalized();
    error RequestValid();
    error RequestNotValid();
    error RequestNotFound();
    error CannotInvalidateFinalizedRequest();
    error EthTransferFailed();

    constructor(IRequestedEther staked, IWrappedRequest wrapped)
        ERC721("Withdraw Request NFT", "WithdrawRequestNFT")
    {
        (eETH, weETH) = (staked, wrapped);
    }

    function requestWithdraw(address recipient, uint256 amount) external returns (uint256) {
        eETH.transferFrom(msg.sender, address(this), amount);
        return create(amount, recipient);
    }

    /// The adapter's.
    function requestWithdrawWrapped(uint256 amount, address recipient) external returns (uint256) {
        weETH.transferFrom(msg.sender, address(this), amount);
        return create(weETH.unwrap(amount), recipient);
    }

    /// `isLegacy`: as before rates were fixed.
    function finalizeRequests(uint256 id, bool isLegacy) external payable {
        if (id > lastFinalizedRequestId) {
            rates.push(Checkpoint(uint32(id), isLegacy ? 0 : uint224(amountPerShareCeil())));
        }
        lastFinalizedRequestId = uint32(id);
    }

    function invalidateRequest(uint256 id) external {
        if (id <= lastFinalizedRequestId) revert CannotInvalidateFinalizedRequest();
        if (_ownerOf(id) == address(0)) revert RequestNotFound();
        if (!requests[id].isValid) revert RequestNotValid();
        requests[id].isValid = false;
        emit WithdrawRequestInvalidated(uint32(id));
    }

    function validateRequest(uint256 id) external {
        if (_ownerOf(id) == address(0)) revert RequestNotFound();
        if (requests[id].isValid) revert RequestValid();
        requests[id].isValid = true;
        emit WithdrawRequestValidated(uint32(id));
    }

    function claimWithdraw(uint256 id) external {
        address owner = ownerOf(id);
        WithdrawRequest memory request = requests[id];
        if (!request.isValid) revert RequestNotValid();
        uint256 amount = getClaimableAmount(id);
        _burn(id);
        delete requests[id];
        (bool ok,) = owner.call{value: amount}("");
        if (!ok) revert EthTransferFailed();
        emit WithdrawRequestClaimed(uint32(id), amount, request.shareOfEEth, owner);
    }

    function getRequest(uint256 id) external view returns (WithdrawRequest memory) {
        return requests[id];
    }

    function isFinalized(uint256 id) external view returns (bool) {
        return id <= lastFinalizedRequestId;
    }

    function getClaimableAmount(uint256 id) public view returns (uint256) {
        if (id > lastFinalizedRequestId) revert RequestNotFinalized();
        uint256 rate = 0;
        for (uint256 i = rates.length; i > 0 && rates[i - 1].upTo >= id; --i) rate = rates[i - 1].rate;
        if (rate == 0) rate = amountPerShareCeil();
        return Math.min(requests[id].amountOfEEth, Math.mulDiv(requests[id].shareOfEEth, rate, 1e18));
    }

    function amountForShare(uint256 share) public view returns (uint256) {
        return Math.mulDiv(share, eETH.getTotalPooledEther(), eETH.getTotalShares());
    }

    function amountPerShareCeil() public view returns (uint256) {
        return Math.mulDiv(1e18, eETH.getTotalPooledEther(), eETH.getTotalShares(), Math.Rounding.Ceil);
    }

    /// A suspended request stays where it is.
    function _update(address to, uint256 id, address auth) internal override returns (address from) {
        if (!requests[id].isValid) revert RequestNotValid();
        return super._update(to, id, auth);
    }

    function create(uint256 amount, address recipient) private returns (uint256 id) {
        uint256 share = Math.mulDiv(amount, eETH.getTotalShares(), eETH.getTotalPooledEther());
        id = nextRequestId++;
        requests[id] = WithdrawRequest(uint96(amount), uint96(share), true, 0);
        _safeMint(recipient, id);
        emit WithdrawRequestCreated(uint32(id), amount, share, recipient);
    }
}
